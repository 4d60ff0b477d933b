// Package playground is bobbin playground: a stage (package stage) with a chat page before it
// (package chat), so that the very bot that serve runs can be tried on this machine without a
// Slack. With a model in the environment it works for real; without one the demo's story is told
// along (package story).
package playground
