"""Models: labelled data, training, evaluation."""
