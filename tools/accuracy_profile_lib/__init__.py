# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
"""`tools/accuracy_profile`: estimates from CPU profiles, compared with the published runs of xMem."""
