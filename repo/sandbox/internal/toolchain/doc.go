// Package toolchain decides which programs a command finds. It builds a clean environment, and finds the
// compilers and interpreters of the machine outside /usr. No variable of this program's own environment gets
// in, and no directory that would show a home.
package toolchain
