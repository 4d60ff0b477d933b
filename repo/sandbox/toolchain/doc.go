// Package toolchain decides what programs a command finds: a clean environment, and the
// compilers and interpreters of the machine that do not live below /usr. Nothing of this
// program's own environment gets in, nor does a directory that would show somebody's home.
package toolchain
