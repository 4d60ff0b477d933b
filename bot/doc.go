// Package bot is a connection to Slack as one app: who the bot is, the calls of the Web API
// with their limits and refusals, and the threads and channels it sees. [Open] checks the
// tokens and is where a start begins; a wrong one is an [AuthError], whose Cure says what to
// change. Everything that reads or writes Slack is given a [Slack].
//
// The rooms below it follow a message, in and out:
//
//   - gateway takes in what people do, over Socket Mode, and hands it to an Inbox
//   - event reads what Slack sends and makes the vocabulary of package workflow of it
//   - people tells who somebody is, and what was said in a thread
//   - attachment fetches files that people attached
//   - mrkdwn turns the Markdown of models into Slack's text; render makes messages, cards,
//     modals and homes of it
//   - poster says in Slack what waits in an Outbox
//   - examine looks at what Slack lets the app do, for those who set it up
//
// slacktest stands in for Slack in tests, over its real protocol, and bottest is an office
// of people in it. The client library, slack-go, stays inside these rooms.
//
// # Order and durability
//
// What comes in is acknowledged when the Inbox has committed it; what it could not keep is
// delivered again by Slack. What goes out is a row with a key before it is posted, and is
// looked up by that key when it is not known whether the post happened. No room keeps a
// message in memory, so any of them may die at any moment.
//
// Whatever comes from Slack is data of somebody else. Whatever goes there is rendered first
// (mrkdwn): mentions and links do not work unless the configuration names them, and nothing
// unfurls.
//
// # Limits
//
// [Slack.Call] waits out Slack's rate limits. slack-go's own retries are off, since a post
// that is sent twice is two messages. [IsFinal] tells a refusal that would only come again
// from trouble that passes.
package bot
