// Package playground implements "bobbin playground": a stage (package stage) with a chat page (package chat),
// so that the bot that serve runs can be tried on this machine without a Slack. With a model in the
// environment the bot works for real; without one, a scripted model plays the demo's story step by step
// (package story).
package playground
