"""What `thresher.plant.Watch` is made of: bets, questions, a journal of batches, words, a file."""
