// Package progress stores how far the agents of a session have come: their conversations, tasks,
// attempts and checks, the commands that they ran, their questions to each other and to the thread,
// and the state of the files. Its parts do not depend on each other; a History reads their rows.
package progress
