package modeltest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

// A program asks the model that its test has written down. A test calls Start instead, which fails it if the
// script was not followed to its end.
func Example() {
	script, err := modeltest.Parse("story", "== gpt\nexpect user \"total\"\nsay It is 3 cents.\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := modeltest.Serve(script)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	fmt.Println(server.Finish())

	asked := []byte(`{"model": "gpt", "messages": [{"role": "user", "content": "What is the total?"}]}`)
	response, err := http.Post(server.URL+"/chat/completions", "application/json", bytes.NewReader(asked))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	fmt.Println(bytes.Contains(answer, []byte("It is 3 cents.")), err)
	fmt.Println(server.Finish())
	// Output:
	// the script was not followed:
	// story:2: gpt was asked 0 times, and the script goes on from here with 1 more answers
	// true <nil>
	// <nil>
}
