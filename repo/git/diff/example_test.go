package diff_test

import (
	"fmt"

	"github.com/bobbinhq/bobbin/repo/git/diff"
)

func ExampleShowEdits() {
	before := "func Split(total, parts int) int {\n\treturn total / parts\n}\n"
	after := "func Split(total, parts int) int {\n\treturn (total + parts - 1) / parts\n}\n"
	fmt.Print(diff.ShowEdits([]byte(before), []byte(after)))
	// Output:
	// @@ -1,3 +1,3 @@
	//  func Split(total, parts int) int {
	// -	return total / parts
	// +	return (total + parts - 1) / parts
	//  }
}

// A line of the base is found again after a change.
func ExampleLineBefore() {
	before, after := []byte("a\nb\nc\n"), []byte("new\na\nb\nc\n")
	fmt.Println(diff.LineBefore(before, after, 3))
	// Output:
	// 2
}
