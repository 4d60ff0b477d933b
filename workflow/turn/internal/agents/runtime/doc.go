// Package runtime runs the agents of a turn. Each agent has a transcript in the store, an Env of tools
// on a tree, and a loop that asks the model and calls the tools.
//
// The parts that a tool writes are recorded in the same transaction as the result of its call. Before
// each model call the messages that people wrote meanwhile are appended to the transcript.
package runtime
