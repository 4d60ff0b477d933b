// Package story tells the demo's story along with whoever reads the page, and no model is needed
// for it. [Story] offers what somebody may say next, as the thread stands; [Endpoint] answers the
// bot's requests: those of the story from its scripts, and every other honestly, with one line
// that says what to connect.
//
// A story has branches: scripts that begin alike. All of them are asked, and the first whose
// script goes on with the request answers; those that do not fall behind. A story that is begun
// again is played by scripts of its own.
package story
