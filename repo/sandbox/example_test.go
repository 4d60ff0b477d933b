package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// A command in the sandbox has the shape of exec.Cmd. The kind none confines nothing; without a kind Open chooses
// the strongest that works on this machine.
func Example() {
	ctx := context.Background()
	box, err := sandbox.Open(ctx, sandbox.Config{Kind: sandbox.KindNone})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	var out bytes.Buffer
	cmd := box.Command(dir, "sh", "-c", "echo hello; exit 3")
	cmd.Stdout = &out
	err = cmd.Run(ctx)
	fmt.Print(out.String())
	fmt.Println(err)
	// Output:
	// hello
	// exit status 3
}
