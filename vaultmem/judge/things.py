"""Words that are values themselves: what something is made of, where it stands, its colour, who does it, with what. Pure.

Where one such word stands for another, another thing is meant; that no list of words of the same meaning holds both is
enough to keep two texts apart. The lists are for general prose about work and home, and far from complete: they only
back up that a rewording must show itself as one.
"""

from __future__ import annotations

from typing import Final

from vaultmem.judge.lexicon import root

_COLOURS: Final = (
    "red blue green yellow orange purple violet pink brown grey gray black white beige turquoise crimson scarlet maroon navy teal cyan magenta "
    "indigo ivory cream golden silver bronze khaki olive amber copper striped spotted"
)
_MATERIALS: Final = (
    "wood wooden oak pine beech birch maple ash elm walnut cedar larch spruce bamboo cork steel iron brass copper bronze tin zinc lead aluminium "
    "aluminum gold silver glass plastic rubber leather wool woollen cotton linen silk velvet felt nylon polyester paper cardboard parchment stone "
    "granite marble slate sandstone limestone brick concrete cement mortar plaster clay ceramic porcelain sand gravel chalk coal charcoal wax tar "
    "resin varnish lacquer paint enamel glue foam fibreglass straw hay bone horn fur canvas denim diesel petrol gasoline kerosene paraffin"
)
_FOODS: Final = (
    "salt sugar pepper honey syrup vinegar oil butter margarine lard cream milk yoghurt yogurt cheese egg flour yeast rice barley oat oats rye wheat "
    "maize corn millet buckwheat quinoa pasta noodle bread dough bun roll cake pie tart biscuit cookie soup stew broth sauce gravy jam jelly "
    "marmalade chocolate cocoa coffee tea juice wine beer cider whisky rum gin vodka brandy water lemonade apple pear plum peach apricot cherry "
    "grape raisin currant fig date lemon lime orange grapefruit mandarin banana pineapple mango melon strawberry raspberry blackberry blueberry "
    "gooseberry cranberry quince walnut hazelnut almond peanut cashew chestnut pistachio sesame potato carrot parsnip turnip beet beetroot radish "
    "onion garlic leek shallot chive celery fennel cabbage kale spinach lettuce chard broccoli cauliflower pea bean lentil chickpea tomato cucumber "
    "courgette zucchini pumpkin squash aubergine eggplant mushroom olive caper basil parsley thyme rosemary sage oregano mint dill coriander cumin "
    "cinnamon clove nutmeg ginger saffron turmeric paprika chili chilli mustard vanilla beef pork lamb mutton veal chicken turkey duck goose bacon "
    "ham sausage salami fish salmon trout cod herring tuna mackerel anchovy shrimp prawn crab lobster mussel oyster squid tofu"
)
_PLANTS_AND_ANIMALS: Final = (
    "tree bush shrub hedge grass moss fern ivy nettle thistle rose tulip daffodil crocus lily iris poppy daisy violet lavender sunflower geranium "
    "dahlia peony orchid cactus willow poplar lime chestnut hazel holly yew juniper fir palm dog cat cow bull calf ox horse pony foal donkey mule "
    "pig sheep lamb goat hen cock rooster chick rabbit hare fox wolf bear deer stag boar badger otter beaver squirrel hedgehog mouse rat mole bat "
    "bird sparrow robin thrush blackbird crow raven magpie jay pigeon dove gull swan heron stork owl hawk eagle falcon bee wasp ant fly moth "
    "butterfly beetle spider snail slug worm frog toad newt snake lizard turtle whale seal dolphin"
)
_TOOLS: Final = (
    "hammer saw drill chisel plane file rasp spanner wrench screwdriver pliers tongs clamp vice nail screw bolt nut washer rivet hook chain rope "
    "string wire cable tape ladder scaffold crane pulley lever jack spade shovel rake hoe fork trowel scythe sickle axe hatchet knife scissors "
    "shears blade razor needle thread pin brush broom mop bucket pail sponge cloth rag towel hose tap valve pump pipe tank boiler stove oven "
    "kettle pan spoon ladle whisk sieve grater bowl plate jug bottle jar barrel crate basket sack pouch wallet purse suitcase rucksack lamp lantern "
    "torch candle bulb fuse plug socket switch battery charger engine motor gearbox clutch brake pedal wheel tyre tire axle bearing gasket filter "
    "radiator fan heater freezer fridge refrigerator dishwasher vacuum printer scanner keyboard monitor laptop tablet phone telephone radio camera "
    "microphone speaker headphones projector router modem server sensor thermometer barometer compass scale ruler pencil pen marker chalk crayon "
    "stapler stamp envelope notebook binder calendar clock watch bell whistle drum flute violin cello piano guitar trumpet"
)
_PLACES: Final = (
    "kitchen bathroom bedroom attic loft cellar basement hallway corridor balcony terrace porch garage shed barn stable greenhouse workshop garden "
    "yard orchard field meadow forest wood park street road lane alley bridge tunnel station airport harbour harbor port dock pier quay island "
    "beach coast lake river pond stream canal mountain hill valley cave village town city suburb school university library museum theatre theater "
    "cinema church chapel mosque temple castle tower hospital clinic pharmacy bakery butcher market supermarket restaurant cafe pub hotel hostel "
    "bank office factory mill warehouse depot laboratory studio gym stadium pool roof ceiling wall floor door window gate fence stairs chimney "
    "desk table chair bench sofa couch shelf drawer wardrobe cupboard cabinet bed carpet rug curtain mirror"
)
_PEOPLE: Final = (
    "doctor nurse dentist surgeon vet chemist pharmacist teacher professor tutor pupil student lawyer solicitor judge notary clerk secretary accountant "
    "auditor treasurer cashier banker broker manager director chairman chairwoman president mayor minister editor author journalist reporter printer "
    "publisher translator librarian archivist curator engineer architect designer developer programmer tester analyst scientist researcher electrician "
    "plumber carpenter joiner mason bricklayer painter glazier roofer tiler locksmith blacksmith mechanic welder gardener farmer shepherd forester "
    "hunter fisherman baker cook chef waiter brewer miller tailor cobbler hairdresser barber cleaner caretaker janitor porter guard policeman soldier "
    "sailor captain pilot driver conductor courier postman tenant landlord neighbour neighbor mother father sister brother daughter son aunt uncle "
    "cousin niece nephew grandmother grandfather husband wife intern apprentice volunteer supervisor foreman"
)
_VEHICLES_AND_CLOTHES: Final = (
    "bus train tram ferry ship boat canoe kayak raft barge plane aeroplane helicopter balloon bicycle bike motorbike motorcycle scooter lorry truck "
    "van tractor trailer taxi underground subway coat jacket shirt trousers skirt dress jumper sweater cardigan vest sock shoe boot sandal slipper "
    "hat cap scarf glove mitten belt apron ring necklace bracelet earring"
)
_TURNS: Final = (
    "hourly nightly daily weekly fortnightly biweekly monthly quarterly yearly annually annual twice thrice north south east west northern southern "
    "eastern western left right upper lower front rear english german french spanish italian portuguese dutch swedish norwegian danish finnish polish "
    "czech russian turkish greek arabic hebrew hindi chinese japanese korean square round oval triangular circular rectangular"
)
_BODY: Final = (
    "head face eye ear nose mouth lip tooth teeth tongue chin cheek neck throat shoulder arm elbow wrist hand finger thumb chest breast stomach belly "
    "hip leg thigh knee calf ankle foot feet toe heel heart lung liver kidney bladder skin muscle nerve brain spine rib"
)
THINGS: Final = frozenset(
    root(word)
    for words in (
        _COLOURS, _MATERIALS, _FOODS, _PLANTS_AND_ANIMALS, _TOOLS, _PLACES, _PEOPLE, _VEHICLES_AND_CLOTHES, _TURNS, _BODY,
    )
    for word in words.split()
)  # fmt: skip
"""Their roots."""
