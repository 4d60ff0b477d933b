// Package slackhtml renders what an app posts in Slack as HTML: text in Slack's markup ([Renderer.Text]), and
// the Block Kit blocks of messages, modals and App Homes ([Renderer.Blocks]). Everything that is not Slack's
// markup is escaped. A block of an unknown kind becomes a line that names its kind.
//
// Buttons and menus are form controls without a form: the caller puts a form around them. A button is sent as
// action=ACTION_ID, a menu under its action ID, an option of an overflow menu as in-menu:ACTION_ID=VALUE, and
// an input under "in:" and its action ID. A question before a press is a popover, which needs no script.
//
// All functions are pure.
package slackhtml
