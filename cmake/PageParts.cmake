# Writes page_parts.cpp out of the files of src/report/page/.
#
#   cmake -DFOLDER=<src/report/page> -DOUTPUT=<page_parts.cpp> -DSCRIPTS="text.js;payload.js;..." -P PageParts.cmake
#
# The scripts go into one function, in that order, so that none of their names is global.

function(append_literal name text)
  file(APPEND ${OUTPUT}.part "const std::string_view ${name} = R\"dryfit~(${text})dryfit~\";\n\n")
endfunction()

# The licence is told once, in the markup.
function(without_licence text result)
  string(REGEX REPLACE "(//|/\\*) SPDX-[^\n]*\n" "" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(READ ${FOLDER}/page.html markup)
file(READ ${FOLDER}/page.css style)
without_licence("${style}" style)
set(script "\n(() => {\n\"use strict\";\n")
foreach(name IN LISTS SCRIPTS)
  file(READ ${FOLDER}/${name} text)
  without_licence("${text}" text)
  string(APPEND script "\n// ---- ${name}\n${text}")
endforeach()
string(APPEND script "})();\n")

file(WRITE ${OUTPUT}.part "// Made by cmake/PageParts.cmake.\n#include \"report/page_parts.h\"\n\nnamespace dryfit::report::page_parts {\n\n")
append_literal(kMarkup "${markup}")
append_literal(kStyle "${style}")
append_literal(kScript "${script}")
file(APPEND ${OUTPUT}.part "}  // namespace dryfit::report::page_parts\n")
file(RENAME ${OUTPUT}.part ${OUTPUT})
