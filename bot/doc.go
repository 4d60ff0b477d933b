// Package bot connects to Slack as one app. It identifies the bot, wraps calls of the Web API with their rate
// limits and refusals, and reads threads and channels. Start with [Open], which checks the tokens; a wrong
// token is an [AuthError], whose Cure says what to change. Everything that reads or writes Slack gets the
// [Slack] that Open returns.
//
// The packages below it handle a message on its way in and out:
//
//   - gateway receives what people do over Socket Mode and hands it to an Inbox
//   - event translates Slack payloads into the types of package workflow
//   - people looks up users, members and names, and reads threads
//   - attachment fetches files that people attached
//   - mrkdwn turns the Markdown of models into Slack's text; render makes messages, cards,
//     modals and App Homes
//   - poster posts what waits in an Outbox
//   - page serves web pages of sessions; pagestyle has their style sheet
//   - examine reports what Slack lets the app do, for the people who set it up
//
// slacktest is a fake Slack for tests that speaks the real protocol, and bottest adds an office of people to
// it. The client library, slack-go, is used only in package bot and below it.
//
// # Order and durability
//
// An event is acknowledged after the Inbox has committed it; Slack redelivers an event that the Inbox could
// not store. A posting is a row with a key before it is posted. If it is not known whether the post
// succeeded, the poster looks the key up in Slack. No package keeps a message only in memory, so the program
// may be killed at any moment.
//
// Everything that comes from Slack is untrusted data. Everything that goes to Slack is rendered first
// (mrkdwn): mentions and links do not work unless the configuration allows them, and links are not unfurled.
//
// # Limits
//
// [Slack.Call] waits out Slack's rate limits. slack-go's own retries are off, since a post that is sent twice
// becomes two messages. [IsFinal] tells a permanent refusal from a temporary failure.
package bot
