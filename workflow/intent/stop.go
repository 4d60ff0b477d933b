package intent

// stopping are the words that stop work; each stands as the whole message.
var stopping = []string{
	"stop", "stop it", "stop this", "stop that", "stop now", "stop work", "stop working", "abort", "abort it", "abort this",
	"cancel", "cancel it", "cancel this", "cancel that",
}
