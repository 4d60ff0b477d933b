package repotest

// LittleMemory is a limit, in bytes, that go test keeps and TooMuchMemory does not.
const LittleMemory = 700 << 20

// TooMuchMemory is a Go module with a test that needs more than LittleMemory, and two others.
var TooMuchMemory = Files{
	"go.mod": "module example.com/shop\n\ngo 1.24\n",
	"auth/auth_test.go": `package auth

import (
	"testing"
	"time"
)

var kept []byte

func TestFirst(t *testing.T) {}

func TestMuchMemory(t *testing.T) {
	takeMuch()
}

// takeMuch takes a gigabyte and does not return.
func takeMuch() {
	kept = make([]byte, 1<<30)
	for i := 0; i < len(kept); i += 4096 {
		kept[i] = 1
	}
	time.Sleep(time.Hour)
}
`,
	"money/money.go": "package money\n\nfunc Half(n int) int { return n / 2 }\n",
	"money/money_test.go": "package money\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {\n" +
		"\tif Half(4) != 2 {\n\t\tt.Error(\"not half\")\n\t}\n}\n",
}
