// Package owners tells who knows a file: whom a CODEOWNERS file names for it, and who wrote and
// changed it. What it reads is a repository's, which may be hostile: a line that cannot be read
// counts for nothing, and sizes are bounded. Nothing here decides anything.
package owners
