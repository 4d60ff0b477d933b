// Package runtime runs the agents of a turn: each has a transcript in the store, a bench of
// tools over a tree, and a loop that asks the model and calls the tools.
//
// What a tool writes is recorded in the transaction that records the call's result. Before
// each model call the transcript takes in what people wrote meanwhile.
package runtime
