// Package progress keeps how far the agents of a session have come: their conversations,
// tasks, attempts and checks, the commands that they ran, what they asked each other and the
// thread, and the files as they stand. Its parts need nothing of each other; a History reads
// their rows.
package progress
