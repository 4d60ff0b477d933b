// Package slackhtml shows what an app posts in Slack as HTML: text in Slack's markup
// ([Renderer.Text]), and Block Kit blocks of messages, modals and App Homes ([Renderer.Blocks]).
// Whatever is not markup of Slack's is escaped; a block of a kind
// that it does not know is named in its place.
//
// Buttons and menus are form controls without a form: whoever shows the blocks puts a form around
// them. A button is sent as action=ACTION_ID, a menu or an input by its action id.
//
// All functions are pure.
package slackhtml
