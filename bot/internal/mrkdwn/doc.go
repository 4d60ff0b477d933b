// Package mrkdwn writes text for Slack: it renders the Markdown of models, splits texts that are too long for
// one message, and makes untrusted text harmless.
//
// Nothing in a rendered text reaches Slack as a command. [Escape] disables markup, and [Visible] drops
// characters that hide or reverse other text. An address is shown as code unless it is under one of a
// [Renderer]'s Links. [QuoteSignatures] keeps a text from looking as if another agent had signed it.
// [SplitText] never splits within an entity or a link, and closes a block of code that it cuts.
//
// All functions are pure.
package mrkdwn
