# The producer's routes for dead letters.
module Kit
  # `letters.list` gives them as docs/target-protocol.md has them; `letters.replay(ids)` and `letters.discard(ids)` do
  # so to those that are there, and give their ids.
  def self.letter_routes(letters)
    {
      "GET /letters" => ->(_) { {letters: letters.list} },
      "POST /letters/replay" => ->(body) { each_letter(body, "replayed") { |ids| letters.replay(ids) } },
      "POST /letters/discard" => ->(body) { each_letter(body, "discarded") { |ids| letters.discard(ids) } },
    }
  end

  def self.each_letter(body, outcome)
    ids = body["ids"] if body.is_a?(Hash)
    raise BadRequest, 'expected {"ids": ["...", ...]}; see docs/target-protocol.md' unless strings?(ids)

    found = yield ids
    {results: ids.map { |id| {id: id, outcome: found.include?(id) ? outcome : "missing"} }}
  end

  def self.strings?(ids) = ids.is_a?(Array) && ids.all?(String)
  private_class_method :each_letter, :strings?
end
