// Package judge judges each message of a thread once, in order of arrival. The program itself acts on
// stops, answers, consent, commands, edits, forms and presses; everything else goes to the agents.
//
// JudgeAll runs at the start of a turn and before each model call, so a correction is never later than
// that. It records a judgement in one transaction with the message that it is about.
//
// JudgeMessage (judge.go) holds the order in which the kinds of message are tried. Each kind has a file:
// stop, go_on, interview, command, lesson, inquiry and correct; form and choose for what a button
// opened; edit, sent, remark and alert for events that are not plain messages. Packages approval and
// permission judge what a message permits, and package intent reads its words.
package judge
