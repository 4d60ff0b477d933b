// Package blockkit holds blocks and views against the rules of Slack's Block Kit, as Slack
// does: [CheckBlocks] and [CheckView] return all that is wrong, in Slack's words. [Controls]
// lists what a person can press or choose, and [Picture] draws what a call shows.
//
// The functions are pure. Types of blocks that Slack documents and that are not checked here
// are taken as they are; https://docs.slack.dev/reference/block-kit has the rules.
package blockkit
