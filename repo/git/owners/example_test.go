package owners_test

import (
	"fmt"

	"github.com/bobbinhq/bobbin/repo/git/owners"
)

// The last line that matches a path names its owners.
func ExampleFile_Of() {
	text := "*  @shop/all\n/money/  @shop/money  ann@example.com\n/money/testdata/\n"
	file := owners.Parse(".github/CODEOWNERS", []byte(text))
	fmt.Println(file.Of("cart/total.go"))
	fmt.Println(file.Of("money/split.go"))
	fmt.Println(file.Of("money/testdata/orders.json"))
	// Output:
	// [@shop/all]
	// [@shop/money ann@example.com]
	// []
}
