package project_test

import (
	"fmt"
	"testing/fstest"

	"github.com/bobbinhq/bobbin/repo/build/project"
)

// Find reads from a tree how its code is built and tested.
func ExampleFind() {
	for _, tree := range []fstest.MapFS{
		{"go.mod": {Data: []byte("module shop\n")}, "total_test.go": {Data: []byte("package shop\n")}},
		{"package.json": {Data: []byte(`{"scripts": {"test": "mocha"}}`)}},
	} {
		p := project.Find(tree)
		fmt.Printf("%s: %s\n", p.Kind, p.TestCommand())
	}
	// Output:
	// go: go test ./...
	// node: npm test
}

func ExampleIsTest() {
	for _, file := range []string{"money/split.go", "money/split_test.go", "money/testdata/orders.json"} {
		fmt.Println(file, project.IsTest("go", file), project.IsTestData(file))
	}
	// Output:
	// money/split.go false false
	// money/split_test.go true false
	// money/testdata/orders.json true true
}
