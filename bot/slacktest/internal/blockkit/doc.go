// Package blockkit checks blocks and views against the rules of Slack's Block Kit, as Slack does:
// [CheckBlocks] and [CheckView] return all errors, in Slack's words. [Controls] returns what a person can
// click or choose, and [Picture] shows what a call displays.
//
// The functions are pure. Block types that Slack documents and this package does not check are accepted as
// they are. The rules are at https://docs.slack.dev/reference/block-kit.
package blockkit
