package build

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindAbsent(t *testing.T) {
	t.Parallel()
	a := newAbsentee([]string{"testdata/big/a.bin", "model.onnx", "vendor/data/"})
	for text, want := range map[string]string{
		"open a.bin: no such file":                              "testdata/big/a.bin",
		"open /src/testdata/big/a.bin: unexpected EOF":          "testdata/big/a.bin",
		"open other/a.bin: unexpected EOF":                      "",
		"open ../big/a.bin: unexpected EOF":                     "testdata/big/a.bin",
		"xa.bin":                                                "",
		"FileNotFoundError: 'vendor/data/deep/x.json'":          "vendor/data",
		"fatal error: /src/vendor/data/x.h: No such file":       "vendor/data",
		"vendor/database/x.h":                                   "",
		"bad magic: version https://git-lfs.github.com/spec/v1": "testdata/big/a.bin",
		"model.onnx: protobuf parsing failed":                   "model.onnx",
		"want 3, got 4":                                         "",
	} {
		require.Equal(t, want, a.find(text), text)
	}
}
