// Package judge judges each message of a thread once, in order of arrival. The program itself acts on stops,
// answers, consent, commands, edits, forms and presses; everything else goes to the agents.
//
// JudgeAll (message.go) runs at the start of a turn and before each model call, so a correction is never
// later than that. It records a judgement in one transaction with the message that it is about.
//
// The words of a message are read once, into an [intent.Reading]. Then the first rule of a table that fires
// judges it: event_rules.go decides who is heard, word_rules.go judges what people write, and press_rules.go
// what they press. The order of the rules is a part of what they say. A rule looks at the message and at the
// facts of its Case (case.go); docs/security.md shows all of them, and rules_test.go has a case for each.
//
// What a rule then does has a file for each kind: stop, go_on, interview, command, lesson, inquiry and
// correct; form and choose for what a button opened; edit, sent, remark and alert for events that are not
// plain messages. What a message permits is judged by package approval, who may permit it by package
// permission, and what it has against approved work by package objection. So the whole argument why nothing
// is pushed without a yes is in this folder.
package judge
