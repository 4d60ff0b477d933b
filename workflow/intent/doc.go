// Package intent reads what people mean by their words: whether a message approves, limits,
// refuses or stops work, goes on with it, asks about it, answers a question, or starts a
// command. No model takes part.
//
// Each file holds one kind of words with the table or expression that knows them:
//
//	approval.go       approvals, refusals, stops, and the scope that limits a fix
//	adopt.go          making somebody else's request one's own
//	resume.go         going on with stopped work, passing on held words, allowing a push
//	redirect.go       words that make work under way pointless
//	question.go       messages that only ask, or only acknowledge
//	diff_question.go  questions about a change
//	interview.go      wrapping up, asking for more, confirming an understanding
//	option.go         which option of a question an answer names
//	command.go        /grill-me, /start-work, /diagnose, /consult, and the same in words
//	repository.go     the repository that a request is about
//	scope.go          the scope that a form asks for
//	sentence.go       what all of them share: straightened text, sentences, politeness
//
// The functions are pure. Whatever may become a permission (ReadConsent, Adopts, Confirms,
// AllowsPush, PassesOn) takes the whole message or nothing: no quote, no code, no mention of
// somebody else, and no character that only looks like ASCII. Who wrote it, and whether that
// person may, is for the caller to judge. The text is as the gateway hands it on, without the
// bot's own mention.
package intent
