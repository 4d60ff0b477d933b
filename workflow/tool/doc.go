// Package tool is what an agent can do to a repository: list, search, read, outline and
// look into its history; run commands; edit, write, patch and check.
//
// Its contract:
//
//   - Paths are relative to the repository's root. Every access goes through the
//     workspace's os.Root, so that neither "..", nor a symbolic link, nor a folder that
//     is swapped for one in the middle of a call leads outside. A file is judged after
//     it was opened: pipes, devices and folders are refused, and sizes are bounded.
//   - A .git is never seen, read or made, wherever it is. Files named .env are not shown.
//   - What a model is told is bounded, valid UTF-8 without control characters.
//   - A file that exists is changed only when this Bench has read it and it is still as
//     it was read; a patch says what it expects instead. Line ends, modes and whatever
//     is not edited stay as they are, byte for byte. A change is complete or absent; a
//     patch over several files is checked as a whole before the first one is written.
//   - A call that cannot be done is a Result that is Wrong and says how to do it right.
//     An error means that the machine failed.
//
// Each tool is a file of Go beside the text that describes it to the model (NAME.md), and one
// line in the lists of bench.go. Files without such a text help several of them.
package tool
