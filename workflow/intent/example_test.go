package intent_test

import (
	"fmt"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

// A message is read once. Its consent is what it says about a report that waits for approval.
func ExampleLexicon_Read() {
	for _, text := range []string{
		"fix it", "fix only cart/price.go", "fix it when bob agrees", "do not fix it", "thanks!",
	} {
		c := intent.Lexicon{}.Read(text).Consent
		fmt.Printf("%q: %q, scope %q, condition %q\n", text, c.Kind, c.Scope, c.Condition)
	}
	// Output:
	// "fix it": "approve", scope "", condition ""
	// "fix only cart/price.go": "scoped", scope "cart/price.go", condition ""
	// "fix it when bob agrees": "unclear", scope "", condition "when bob agrees"
	// "do not fix it": "refuse", scope "", condition ""
	// "thanks!": "", scope "", condition ""
}

// A configuration adds words to the built-in ones.
func ExampleNewLexicon() {
	words, err := intent.NewLexicon(map[string][]string{"approve": {"ab dafür"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", words.Read("ab dafür").Consent.Kind)
	fmt.Printf("%q\n", intent.Lexicon{}.Read("ab dafür").Consent.Kind)
	_, err = intent.NewLexicon(map[string][]string{"approve": {"stop"}})
	fmt.Println(err)
	// Output:
	// "approve"
	// ""
	// words.approve: "stop" is built in as a phrase that refuses
}

// A refusal is read liberally: one clause is enough.
func ExampleReading_refusal() {
	for _, text := range []string{
		"stop", "wait, don't push this", "no, that is the wrong file", "how does it work?",
	} {
		fmt.Printf("%q: %q\n", text, intent.Lexicon{}.Read(text).Refusal)
	}
	// Output:
	// "stop": "stop"
	// "wait, don't push this": "stop"
	// "no, that is the wrong file": "hold"
	// "how does it work?": ""
}
