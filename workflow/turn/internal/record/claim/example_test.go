package claim_test

import (
	"fmt"

	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/claim"
)

// What only the program may say is taken out of a model's text.
func ExampleWithout() {
	rest, found := claim.Without("Split rounds the total. All tests pass.")
	fmt.Println(rest)
	for _, c := range found {
		fmt.Printf("%+v\n", c)
	}
	// Output:
	// Split rounds the total.
	// {Kind:tests Sentence:All tests pass.}
}
