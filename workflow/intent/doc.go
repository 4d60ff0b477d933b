// Package intent reads what people mean by their words: whether a message approves, limits, refuses, stops or
// resumes work, asks about it, answers a question, or starts a command. No model takes part.
//
// A file is named after what its words mean. A new word goes into the list in its file, or, where an
// expression decides, into that expression (goAhead in approval.go, rights in confirm.go). The list approving
// only names the words of approval that mean nothing else in any context. The files are:
//
//	approval.go    words that approve a report, and words that only sound like approval
//	scope.go       what limits a fix: "fix only the header", and the form that asks for it
//	stop.go        words that stop work
//	refusal.go     words that refuse, or put off
//	resume.go      "go on", alone or as a sentence of a message
//	push.go        "push it"
//	backport.go    "backport this to release/1.4"
//	adopt.go       making another person's request one's own
//	confirm.go     confirming that an understanding is right
//	pass_on.go     letting held words reach the agents
//	redirect.go    redirecting work that is under way
//	task.go        "task 2: …", which names a task of the plan
//	question.go    messages that only ask for information
//	owners.go      questions about who knows the code
//	diff.go        questions about the change
//	request.go     what may be a request to build something, and how vague it is
//	thanks.go      messages that only thank, or say that they were read
//	command/       commands, in words or with a slash; lessons of a repository
//	answer/        answers to questions with options, and to interviews
//	words/         a message's own words, without quotes, code and courtesy; its sentences
//
// The functions are pure. Those whose result may become a permission (ReadConsent, Adopts, AdoptsToBuild, Confirms,
// ReadPush, ReadBackport, PassesOn) accept the whole message or nothing: no quote, no code, no mention of
// another person, and no character that only looks like ASCII. The caller has to judge who wrote the message,
// and whether that person may permit anything. The text is as the gateway passes it on, without the bot's own
// mention.
package intent
