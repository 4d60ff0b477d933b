// Package mrkdwn writes Slack's text: it renders the Markdown of models, splits what is too
// long for one message, and makes untrusted text harmless.
//
// Nothing in a rendered text reaches Slack as a command. [Escape] disables markup, [Visible]
// drops characters that hide or reverse other text, an address is code unless it lies under
// one of a [Renderer]'s Links, and [QuoteSignatures] keeps a text from looking as if another
// agent had signed it. [SplitText] never ends a part within an entity or a link, and closes a
// block of code that it cuts.
//
// All functions are pure.
package mrkdwn
