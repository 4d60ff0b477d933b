// Package intake judges each message of a thread once, in order of arrival: stop, answers,
// consent, commands, edits, forms and presses are the program's business, and the rest is
// for the agents.
//
// JudgeAll runs at the start of a turn and before each model call, so a correction is never
// later than that. It records a judgement in one transaction with the message that it is of.
//
// JudgeMessage (judge.go) says in which order a message is asked what it is. Each answer has a
// file: stop, go_on, interview, command, lesson, inquiry, correct; form and choose for what a
// button opened; edit, sent, remark and alert for what is no plain message. What a message
// permits is judged in approval and permission, and package intent reads its words.
package intake
