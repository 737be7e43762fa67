"""What ``rabbithole --help`` says of the environment."""

MODELS = """\b
Models are named in the environment:
  RABBITHOLE_LLM            ollama:MODEL, openai:MODEL, gguf:PATH, embedded, none
  RABBITHOLE_EMBEDDING      bundled, ollama:MODEL, or a model of sentence-transformers by
                            name or folder, also MODEL?backend=onnx or ?backend=openvino
  RABBITHOLE_CROSS_ENCODER  such a model, for: rabbithole config set reranking cross-encoder
  RABBITHOLE_OLLAMA_URL     where Ollama is, unless at http://127.0.0.1:11434
A collection keeps the embedding model that indexed it.
"""
