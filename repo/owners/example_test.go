package owners_test

import (
	"fmt"

	"github.com/bobbinhq/bobbin/repo/owners"
)

// The last line that matches a path names its owners.
func ExampleFile_Of() {
	file := owners.Parse(".github/CODEOWNERS", []byte("*  @shop/all\n/money/  @shop/money  ann@example.com\n/money/testdata/\n"))
	fmt.Println(file.Of("cart/total.go"))
	fmt.Println(file.Of("money/split.go"))
	fmt.Println(file.Of("money/testdata/orders.json"))
	// Output:
	// [@shop/all]
	// [@shop/money ann@example.com]
	// []
}
