// The precompiled header of all tests is built with this file, see tests/CMakeLists.txt.
