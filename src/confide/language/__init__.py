"""What is known about sentences, whoever asks: their words, and what they state of their speaker."""
