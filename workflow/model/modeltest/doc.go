// Package modeltest is a fake model for tests that follows a script: an HTTP server that speaks OpenAI's chat
// completions, streamed or not, and plays the answers in a readable text file. A request that does not match
// the script is an error, which fails the test.
//
// # Scripts
//
//	# the coupon bug                        a comment: the line begins with #
//	== demo-orchestrator                    a part: the answers of that model, in order
//	expect user "total is wrong"            what the request has to contain; else it does not match
//	say Exploring the cart …                text of the answer; several say lines are joined by newlines
//	call search {"pattern": "Discount"}     a call of a tool, with its arguments as JSON
//	call read_file                          the same, field by field
//	  path: pricing/split.go                a JSON value, or else plain text
//	  limit: 40
//	---                                     the end of an answer
//	expect tool search "discount.go:"
//	call edit_file
//	  path: pricing/split.go
//	  old <<<                               text word for word, up to the line that closes it
//	func split(total int) int {
//	>>>
//	  new <<<CODE                           the same with a mark, if the text itself has a line >>>
//	func split(total, parts int) int {
//	>>>CODE
//	---
//
// A part belongs to a model. Parts are played independently of each other. A repeated header continues its
// part, so that a story can be told in its order. A part can be bound to the conversations in which something
// was said:
//
//	== demo-deep when user "task 2"
//
// Such a part takes precedence over parts without a condition. With it, two tasks that one model works on at
// the same time can be told apart. The part "*" answers for models without a part.
//
// This line may precede the answers of a part:
//
//	reads 6000                   requests of more tokens are refused as too long, and use up no answer
//
// Lines of an answer, besides say and call, in any order:
//
//	expect user PATTERN          a new message of a user contains it; new means after the last answer in the
//	                             request
//	expect tool NAME PATTERN     a new result of that tool contains it; without NAME, of any tool
//	expect system PATTERN        the system prompt contains it
//	expect history PATTERN       any message contains it, old or new
//	expect not user PATTERN      no such message contains it; likewise for the others
//	expect tools A, B, C         exactly these tools are offered, in any order
//	expect effort high           the requested reasoning effort; none: no effort is requested
//	capture NAME [user|tool X|system|history] /RE/
//	                             store the first group; by default, from new messages
//	malformed NAME TEXT          a call whose arguments are TEXT, valid JSON or not
//	empty                        an answer without text or calls
//	finish REASON                length, content_filter, …; by default stop, or tool_calls with calls
//	usage IN CACHED OUT          the figures; by default an estimate, in which the prefix shared with the
//	                             part's last request is cached
//	fail STATUS [retry-after S] [TEXT]
//	                             an HTTP error; a TEXT that begins with { or < is the whole body
//	cut after N                  the connection breaks after N characters of text and arguments
//	unfinished                   the stream ends without a finish reason
//	delay 200ms                  pause before the answer
//	pace 10ms                    pause between the pieces of the answer
//	hang [NAME]                  no answer until the request is cancelled
//	wait NAME                    no answer before Server.Release(NAME); see also Server.Reached and GivenUp
//
// PATTERN is a "quoted string", a `raw string`, a /regular expression/ or a block <<< … >>>. ${NAME} in a
// text or a pattern is replaced by the captured value, from any part. A NAME that no line of the script
// captures stays as it is. A block ends without a newline; an empty line before the mark adds one.
//
// # Errors and transcripts
//
// Server.Err returns which requests did not match the script so far, by file and line. Finish also returns
// which answers were not played. A request that does not match gets status 422, which clients do not retry.
// Server.Transcript returns the requests as text to compare with a golden file: see Golden.
package modeltest
