// Package intent reads what people mean by their words: whether a message approves, limits,
// refuses or stops work, goes on with it, asks about it, answers a question, or starts a
// command. No model takes part.
//
// A file is named for what its words mean. A new word goes into the table of its file. Where an
// expression decides (goAhead in approval.go, rights in confirm.go), it goes in there; the list
// approving only says which words mean nothing else wherever they stand:
//
//	approval.go    words that approve a report, and words that only sound like approval
//	scope.go       what limits a fix: "fix only the header", and the form that asks for it
//	stop.go        words that stop work
//	refusal.go     words that refuse, or put off
//	resume.go      "go on", alone or as a sentence of a message
//	push.go        "push it"
//	adopt.go       making somebody else's request one's own
//	confirm.go     saying that an understanding is right
//	pass_on.go     letting held words reach the agents
//	redirect.go    turning work that is under way to something else
//	question.go    messages that only ask for information
//	diff.go        questions about the change
//	request.go     what may be asked to be built, and how vague it is
//	thanks.go      messages that only thank, or say that they were read
//	command/       commands, in words or with a slash; lessons of a repository
//	answer/        answers to questions with options, and to interviews
//	words/         what a message says itself: without quotes, code, courtesy; its sentences
//
// The functions are pure. Whatever may become a permission (ReadConsent, Adopts, Confirms,
// ReadPush, PassesOn) takes the whole message or nothing: no quote, no code, no mention of
// somebody else, and no character that only looks like ASCII. Who wrote it, and whether that
// person may, is for the caller to judge. The text is as the gateway hands it on, without the
// bot's own mention.
package intent
