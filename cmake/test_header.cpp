// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// For the precompiled header alone, which needs a file to belong to.
