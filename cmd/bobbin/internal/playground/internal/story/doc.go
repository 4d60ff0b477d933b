// Package story plays the demo's story step by step with the reader of the page, without a model. [Story]
// offers what a person may say next, as read from the thread. [Endpoint] answers the bot's requests: requests
// of the story from its scripts, and all others with one line that says how to connect a model.
//
// A story has branches: answers to other things that may be said at a step. The endpoint chooses an answer
// from the conversation alone, so the story continues after a restart of the program, and can be played
// again.
package story
