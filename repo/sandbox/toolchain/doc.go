// Package toolchain decides which programs a command finds: it makes a clean environment, and
// shows the compilers and interpreters of the machine that do not live below /usr. Nothing of
// this program's own environment gets in, and no directory that would show somebody's home.
package toolchain
