// Package modeltest is a model that says what a script tells it to: a real HTTP endpoint
// that speaks OpenAI's chat completions, streamed or not, and plays a readable text file.
// A program that does not follow the script fails it.
//
// # Scripts
//
//	# the coupon bug                        a comment, where a line begins with it
//	== demo-orchestrator                    a part: the answers of that model, in order
//	expect user "total is wrong"            what the request has to hold, else the script is not followed
//	say Exploring the cart …                text of the answer; more than one are lines of it
//	call search {"pattern": "Discount"}     a call of a tool, its arguments as JSON
//	call read_file                          the same, field by field
//	  path: pricing/split.go                a JSON value, or else the text as it stands
//	  limit: 40
//	---                                     the end of an answer
//	expect tool search "discount.go:"
//	call edit_file
//	  path: pricing/split.go
//	  old <<<                               text word for word, to the line that closes it
//	func split(total int) int {
//	>>>
//	  new <<<CODE                           a mark of one's own, where the text itself has a line >>>
//	func split(total, parts int) int {
//	>>>CODE
//	---
//
// A part belongs to a model. Parts are played independently of each other; a header that
// comes again continues its part, so that a story can be told in its order. A part can be
// bound to the conversations in which something was said,
//
//	== demo-deep when user "task 2"
//
// which parts without a condition yield to; two tasks that one model works at side by
// side are told apart so. The part "*" answers for models that have none.
//
// A line before a part's answers
//
//	reads 6000                   requests of more tokens are refused as too long, and use up no answer
//
// Lines of an answer, beside say and call, in any order:
//
//	expect user PATTERN          a new message of a user holds it; new is what came after the last answer in the request
//	expect tool NAME PATTERN     a new result of that tool holds it; without NAME, of any tool
//	expect system PATTERN        the system prompt holds it
//	expect history PATTERN       any message holds it, old or new
//	expect not user PATTERN      no such message holds it; likewise for the others
//	expect tools A, B, C         exactly these tools are offered, in any order
//	expect effort high           the reasoning effort that was asked for; none for none
//	capture NAME [user|tool X|system|history] /RE/    keep the first group; from new messages where nothing is named
//	malformed NAME TEXT          a call whose arguments are TEXT, valid JSON or not
//	empty                        an answer without text or calls
//	finish REASON                length, content_filter, …; else stop or tool_calls as it fits
//	usage IN CACHED OUT          the figures; else estimated, cached by the prefix shared with the part's last request
//	fail STATUS [retry-after S] [TEXT]   an HTTP error; a TEXT that begins with { or < is the whole body
//	cut after N                  the connection breaks after N characters of text and arguments
//	unfinished                   the stream ends without a finish reason
//	delay 200ms                  before the answer
//	pace 10ms                    between the pieces of it
//	hang [NAME]                  no answer until the request is cancelled
//	wait NAME                    no answer before Server.Release(NAME); see also Server.Reached and GivenUp
//
// PATTERN is a "quoted string", a `raw one`, a /regular expression/ or a block <<< … >>>.
// ${NAME} stands for what was captured, in any part, wherever text or a pattern is; one
// that no line of the script captures is left as it stands. Blocks end without a newline:
// an empty line before the mark gives one.
//
// # What was asked
//
// Server.Err says where the script was not followed so far, by file and line; Finish also
// says what of it was left over. A request that does not follow gets 422, which nobody
// tries again. Server.Transcript is what the model was asked, as text to compare with a
// golden file: see Golden.
package modeltest
