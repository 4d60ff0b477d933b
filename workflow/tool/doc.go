// Package tool implements the tools by which an agent works on a repository: it lists, searches, reads and
// outlines files and reads their history; it runs commands; it edits, writes, patches and checks files.
//
// Its contract:
//
//   - Paths are relative to the repository's root. Every access goes through the workspace's os.Root, so
//     neither "..", nor a symbolic link, nor a folder that is replaced by one during a call leads outside. A
//     file is checked after it was opened: pipes, devices and folders are refused, and sizes are limited.
//   - A .git is never shown, read or created, wherever it is. Files named .env are not shown.
//   - The text for a model is limited in size and valid UTF-8, without control characters.
//   - An existing file is changed only if this Env has read it and it is still as it was read; a patch states
//     the lines that it expects instead. Line ends, modes and everything that is not edited stay as they are,
//     byte for byte. A change is complete or absent; a patch over several files is checked as a whole before
//     the first file is written.
//   - A call that cannot be done returns a Result with Wrong set that says how to do it right. An error means
//     that the machine failed.
//
// Each tool has a Go file beside the text that describes it to the model (NAME.md), and one line in the lists
// of env.go. Go files without such a text hold what several tools share.
package tool
