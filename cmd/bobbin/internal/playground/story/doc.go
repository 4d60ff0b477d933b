// Package story tells the demo's story along with whoever reads the page, and no model is needed
// for it. [Story] offers what somebody may say next, as the thread stands; [Endpoint] answers the
// bot's requests: those of the story from its scripts, and every other honestly, with one line
// that says what to connect.
//
// A story has branches: answers to whatever else may be said at a step. Which one is given is read
// from the conversation alone, so that the story goes on after the program was ended in its middle,
// and can be begun again.
package story
