// Package owners finds the people who know a file: those whom a CODEOWNERS file names for it, and those
// who wrote and changed it. Its input comes from a repository, which may be hostile: a line that cannot
// be parsed is skipped, and sizes are bounded. The result is only information; nothing is decided here.
package owners
