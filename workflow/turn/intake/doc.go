// Package intake judges each message of a thread once, in order of arrival: stop, answers,
// consent, commands, edits, forms and presses are the program's business, and the rest is
// for the agents.
//
// JudgeAll runs at the start of a turn and before each model call, so a correction is never
// later than that. It records a judgement in one transaction with the message that it is of.
package intake
