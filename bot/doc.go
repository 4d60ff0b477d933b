// Package bot is a connection to Slack as one app: who the bot is, the calls of the Web API
// with their limits and refusals, and the threads and channels it sees. [Open] checks the
// tokens and is where a start begins; a wrong one is an [AuthError], whose Cure says what to
// change. Everything that reads or writes Slack is given a [Slack].
//
// The rooms below it follow a message, in and out:
//
//   - gateway receives what people do, over Socket Mode, and hands it to an Inbox
//   - event translates what Slack sends into the vocabulary of package workflow
//   - people looks up users, members and names, and reads threads
//   - attachment fetches files that people attached
//   - mrkdwn turns the Markdown of models into Slack's text; render makes messages, cards,
//     modals and homes
//   - poster posts what waits in an Outbox
//   - examine reports what Slack lets the app do, for those who set it up
//
// slacktest stands in for Slack in tests, over its real protocol, and bottest is an office
// of people in it. The client library, slack-go, stays inside these rooms.
//
// # Order and durability
//
// An event is acknowledged after the Inbox has committed it; Slack delivers again what the
// Inbox could not store. A posting is a row with a key before it is posted, and is looked up
// by that key where it is not known whether the post happened. No package keeps a message in
// memory, so the program may be killed at any moment.
//
// Whatever comes from Slack is untrusted data. Whatever goes there is rendered first
// (mrkdwn): mentions and links do not work unless the configuration names them, and nothing
// unfurls.
//
// # Limits
//
// [Slack.Call] waits out Slack's rate limits. slack-go's own retries are off, since a post
// that is sent twice is two messages. [IsFinal] tells a permanent refusal from a passing
// failure.
package bot
