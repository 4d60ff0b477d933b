package intent
import ("testing";"os";"strings")
func BenchmarkRead(b *testing.B) {
	t, _ := os.ReadFile("testdata/harmless.txt")
	ls := strings.Split(string(t), "\n")
	Lexicon{}.ReadRefusal("x")
	b.ResetTimer()
	for i := 0; i < b.N; i++ { Lexicon{}.ReadRefusal(ls[i%len(ls)]) }
}
