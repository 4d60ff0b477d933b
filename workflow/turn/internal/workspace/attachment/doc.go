// Package attachment downloads the files that people attached in a thread, once, and shows them to
// agents: a list of the files, short texts at once, pictures to models that see.
package attachment
